import type { Connector, EventSource } from '../connector';
import { checkedBy } from '../settings/form';
import { headerName } from '../settings/header';
import { members } from '../settings/members';
import { readOptionalObject, readText } from '../settings/read';
import { text, word } from '../settings/text';
import { isHmacOf } from './hmac';

const MAX_SECRET_LENGTH = 255;
/** Some senders name the algorithm before the signature. */
const ALGORITHM_PREFIX = /^sha256=/;

const form = members({
  name: 'signature',
  form: members(
    {
      name: 'header',
      form: headerName(),
      description: 'Header that carries the hex HMAC of the body.',
      required: true,
    },
    {
      name: 'secret',
      form: text({ maxLength: MAX_SECRET_LENGTH, secret: true }),
      description: 'Secret that the sender signs with.',
      required: true,
    },
    {
      name: 'algorithm',
      form: word('sha256'),
      description: 'Hash of the HMAC.',
      default: 'sha256',
    },
  ),
  description: 'How requests are signed; absent: they are not checked.',
});

const verify: EventSource['verify'] = (body, headers, settings) => {
  const signature = readOptionalObject(settings, 'signature');
  if (signature === undefined) return true;
  const given = headers[readText(signature, 'header').toLowerCase()];
  return (
    typeof given === 'string' &&
    isHmacOf(given.replace(ALGORITHM_PREFIX, ''), body, 'sha256', readText(signature, 'secret'))
  );
};

/** Receives events from senders that cannot be configured. */
export const webhookConnector: Connector = {
  code: 'webhook',
  label: 'Webhook',
  type: 'Webhook',
  categories: ['Webhooks'],
  asSource: {
    targets: ['Event', 'User'],
    summary: 'Receives events, and the users in them, as any JSON that is posted to it.',
  },
  asDestination: null,
  settings: form,
  terms: null,
  checkSettings: checkedBy(form),
  eventSource: { clientSide: false, ipPolicy: () => 'keep', verify },
};
