"""Names of people that a conversation gives away by how it speaks: introductions, greetings, signatures, forms."""
