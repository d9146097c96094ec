"""What configuration files mean: measures with labels and parameters, inputs."""
