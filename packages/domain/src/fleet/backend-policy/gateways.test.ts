import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { bridgesOf, gatewaysOfIpv6Routes, gatewaysOfRoutes } from './gateways.ts';

/** The routes of a container on two Docker networks; one of them has the default route. */
const ROUTES = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t01571EAC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth1\t0000640A\tFE00A8C0\t0003\t0\t0\t0\t0000FFFF\t0\t0\t0
eth0\t00571EAC\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
`;
const IPV6_ROUTES = `fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000002 00000000 00000003     eth0
00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo
`;

const attached = (cidr: string, internal = false) =>
  ({ cidr, address: cidr.split('/')[0], internal }) as NetworkInterfaceInfo;

describe('the gateways of a network namespace', () => {
  test('are those that its routes go through, by default or to one network', () => {
    expect(gatewaysOfRoutes(ROUTES)).toEqual(['172.30.87.1', '192.168.0.254']);
    expect(gatewaysOfIpv6Routes(IPV6_ROUTES)).toEqual(['fd00:0:0:0:0:0:0:1']);
  });

  test.each(['', 'nonsense\n', 'Iface\tDestination\tGateway\nlo\t00000000\tzz\t0003\n'])('are none in %j', (table) => {
    expect([...gatewaysOfRoutes(table), ...gatewaysOfIpv6Routes(table)]).toEqual([]);
  });
});

test("a container's networks begin with their bridges, which is never an address of its own", () => {
  const interfaces = {
    lo: [attached('127.0.0.1/8', true), attached('::1/128', true)],
    eth0: [attached('172.30.87.4/24'), attached('fd00:87::4/64')],
    eth1: [attached('10.3.200.9/20')],
    docker0: [attached('172.17.0.1/16')],
  };
  expect(bridgesOf(interfaces)).toEqual(['172.30.87.1', 'fd00:87:0:0:0:0:0:1', '10.3.192.1']);
});
