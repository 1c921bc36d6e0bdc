import { isIP } from 'node:net';

/**
 * Whether a header `Host` is an IP address or `localhost`. A page of another site can make its own name resolve to this
 * machine, and then read answers as if they were of its site, but it can send neither of these.
 */
export const isOwnHost = (header: string | undefined): boolean => {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(header ?? '') ?? [];
  const name = bracketed ?? plain;
  return isIP(name) !== 0 || name.toLowerCase() === 'localhost';
};
