"""A session of Spark on this machine, which all tests of a process share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any


def local_session(warehouse: Path) -> Any:
    """Return a session on two cores, in which a task may fail once.

    Tests in other processes have tables of the same names, so that a process has a warehouse of its own.
    """
    from pyspark.sql import SparkSession

    # Workers are to be of this environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.driver.bindAddress", "127.0.0.1")
        # Java code that runs for a minute takes longer to optimize than that saves.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.sql.warehouse.dir", str(warehouse))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session
