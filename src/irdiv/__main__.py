import sys

from irdiv.cli import main

sys.exit(main())
