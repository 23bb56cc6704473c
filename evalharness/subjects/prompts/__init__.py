"""What models at an endpoint are told before they are asked, as files."""
