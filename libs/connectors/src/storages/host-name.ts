import { isIP } from 'node:net';
import { type Form, text } from '@penstock/settings';

/** Source: RFC 1035, 2.3.4. */
const MAX_HOST_LENGTH = 253;
const NAME =
  /^[\p{L}\p{N}_]([\p{L}\p{N}_-]*[\p{L}\p{N}_])?(\.[\p{L}\p{N}_]([\p{L}\p{N}_-]*[\p{L}\p{N}_])?)*\.?$/u;

/** A host name, or an IP address without brackets; 1 to 253 characters. */
export const hostName: Form = text({
  maxLength: MAX_HOST_LENGTH,
  problem: (host) =>
    isIP(host) > 0 || (NAME.test(host) && URL.canParse(`https://${host}`))
      ? undefined
      : 'must be a host name or an IP address, without port, user or path',
});
