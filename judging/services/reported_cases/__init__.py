"""What a project of use cases is made of, and who reported them."""
