import sys

from irdiv_cli import main

sys.exit(main())
