import { isJsonArray, type Json, JsonSyntaxError, parseJson, writeJson } from '@penstock/schema';
import { checkedBy, members, readOptionalText, text } from '@penstock/settings';
import type { Connector, EventSource } from '../connector/connector';
import { isHmacOf } from '../webhook/hmac';

const MAX_SECRET_LENGTH = 255;

const form = members({
  name: 'sharedSecret',
  form: text({ maxLength: MAX_SECRET_LENGTH, secret: true }),
  description: 'Secret that Segment signs requests with; absent: they are not checked.',
});

/**
 * Segment signs with HMAC-SHA1, in hex: the whole body in `X-Segment-Signature`, when its destination is set
 * so, else in `X-Signature` a single event, or of a batch the first event alone.
 */
const verify: EventSource['verify'] = (body, headers, settings) => {
  const secret = readOptionalText(settings, 'sharedSecret');
  if (secret === undefined) return true;
  const whole = headers['x-segment-signature'];
  if (typeof whole === 'string') return isHmacOf(whole, body, 'sha1', secret);
  const first = headers['x-signature'];
  return typeof first === 'string' && isHmacOf(first, firstEvent(body), 'sha1', secret);
};

/** The first event of a batch as Segment serialised it; a body that is no batch as it is. */
const firstEvent = (body: Uint8Array): Uint8Array | string => {
  const json = readBody(body);
  const [first] = isJsonArray(json) ? json : [];
  return first === undefined ? body : writeJson(first);
};

const readBody = (body: Uint8Array): Json | undefined => {
  try {
    return parseJson(Buffer.from(body).toString());
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
};

/** Receives events from the Webhooks destination of Segment. */
export const segmentConnector: Connector = {
  code: 'segment',
  label: 'Segment',
  type: 'Webhook',
  categories: ['Customer data platforms'],
  asSource: {
    targets: ['Event', 'User'],
    summary: 'Receives events, and the users in them, from a Webhooks destination of Segment.',
  },
  asDestination: null,
  settings: form,
  terms: null,
  checkSettings: checkedBy(form),
  eventSource: { clientSide: false, ipPolicy: () => 'keep', verify },
};
