"""What boxtop says of boxes without a screen: a JSON document, plain text, and an exit code."""
