"""What is shown of collections and runs: trees as text and pictures, reports."""
