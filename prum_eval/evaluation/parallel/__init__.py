"""Many runs: shared by processes of this machine or by the workers of a cluster, or written one by one."""
