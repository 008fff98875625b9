"""Global settings of a script: execution mode, device, parallel settings."""
