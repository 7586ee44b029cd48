"""What a view of the API is: its request, its parameters, its item, its permission."""
