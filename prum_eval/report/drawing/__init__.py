"""What a picture shows, before anybody draws it, and the drawing by hand as SVG."""
