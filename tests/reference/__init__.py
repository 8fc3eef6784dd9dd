"""The measures by their definitions: plain loops over lists and dicts, without a line of irdiv."""
