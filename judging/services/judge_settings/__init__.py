"""Up to five settings of judge and reference over the same sampled cases: do they say the same of the authors?"""
