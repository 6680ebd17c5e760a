"""What a score is: its options, its class set, its interval and its signature."""
