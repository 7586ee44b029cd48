"""What each request must look like: colander schemas over field types of our own."""
