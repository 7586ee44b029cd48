"""The server and the application share only environment variables."""

from forumsvc.process import cpu_affinity, process_name
from forumsvc.serving import environment


def test_the_application_reads_the_variables_that_the_server_sets():
    assert cpu_affinity.CORES == environment.CORES
    assert process_name.WORKER_NUMBER == environment.WORKER_NUMBER
