import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers by which proxies tell for whom they send a request. */
const OF_PROXIES = /^(?:forwarded|via|x-forwarded-.+|x-real-ip|x-client-ip|cf-connecting-ip)$/;

/** Whether a request comes over the loopback interface, and from no proxy on this machine that says so. */
export const isFromThisMachine = ({
  socket,
  headers,
}: Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
}): boolean => {
  const { remoteAddress = '' } = socket;
  return (
    LOOPBACK.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4') &&
    !Object.keys(headers).some((name) => OF_PROXIES.test(name))
  );
};
