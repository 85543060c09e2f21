"""Addresses of a Dask cluster, and whether the connections to them are encrypted."""

from __future__ import annotations

import ipaddress
from typing import Any

import distributed
from distributed.comm.addressing import get_address_host, parse_address, parse_host_port

from asanoha._numbers import shortened
from asanoha.exceptions import AddressError


def check_address(address: str, what: str) -> None:
    """Refuses an address on another host, or that others can reach, without TLS."""
    if address.startswith("tls://") or is_local(address):
        return
    raise AddressError(
        f"{what} {address} can be reached over the network without TLS: anyone on the way reads and alters what is sent. Start "
        "the cluster with TLS and connect to tls://HOST:PORT with security=distributed.Security(...), or pass "
        "insecure_network=True",
        address=address,
    )


def check_schedulers() -> None:
    """Refuses a process in which a scheduler serves other hosts: a scheduler runs the code of whoever connects to it."""
    for scheduler in list(distributed.Scheduler._instances):
        if scheduler.status != distributed.Status.running:
            continue
        for address in [listener.listen_address for listener in scheduler.listeners]:
            if not is_local(address):
                raise AddressError(
                    f"this process has a scheduler at {address}, which runs the code of all hosts that connect to it beside the key: "
                    "start it by `dask scheduler` in a process of its own, or pass insecure_network=True",
                    address=address,
                )


def is_local(address: str) -> bool:
    """Returns whether only this machine reaches an address."""
    if address.startswith("inproc://"):
        return True
    try:
        host = get_address_host(address)
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address_of(cluster: Any) -> str:
    """Returns the address of a scheduler, of itself or of a cluster such as `distributed.LocalCluster`."""
    if isinstance(cluster, distributed.Client):
        raise AddressError(
            "a distributed.Client runs code that its scheduler and workers send, in the process that holds the key: close it, and "
            "pass the address of the scheduler or the LocalCluster"
        )
    address = cluster if isinstance(cluster, str) else getattr(cluster, "scheduler_address", None)
    if not isinstance(address, str) or not address:
        raise AddressError(
            f"the cluster is {shortened(cluster)}, and should be the address of a scheduler, such as tls://HOST:PORT, or a LocalCluster"
        )
    try:
        scheme, location = parse_address(address)
        if scheme != "inproc":
            parse_host_port(location)
    except ValueError as error:
        raise AddressError(f"the address {address} is none: {error}; pass tls://HOST:PORT", address=address) from None
    if scheme not in ("tcp", "tls", "inproc"):
        raise AddressError(f"the address {address} is of {scheme}://: pass tls://HOST:PORT", address=address)
    return f"{scheme}://{location}"
