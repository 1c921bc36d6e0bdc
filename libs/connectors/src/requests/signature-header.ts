import { createHmac } from 'node:crypto';
import type { DraftHeader } from './draft';

/** Proves to the receiver who sent the body and when; made anew for each attempt. */
export const signatureHeader = (secret: string, body: string): DraftHeader => {
  const seconds = Math.floor(Date.now() / 1_000);
  const hash = createHmac('sha256', secret)
    .update(`${String(seconds)}.${body}`)
    .digest('hex');
  return {
    name: 'Penstock-Signature',
    value: `t=${String(seconds)},v1=${hash}`,
    shown: 't=<unix seconds>,v1=<hex HMAC-SHA256>',
  };
};
