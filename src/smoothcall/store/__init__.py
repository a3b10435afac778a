"""What is kept on disk: runs and the pictures of them."""
