import type { CompiledMapping } from '@penstock/transformations';
import { checkedBy, members, readOptionalObject, readText, text, word } from '@penstock/settings';
import type { Connector, EventSource, Settings } from '../connector/connector';
import { headerName } from '../settings/header';
import { perSettings } from '../settings/per-settings';
import { isHmacOf } from './hmac';
import { compileWebhookMapping, mapRequest, webhookMappingForm } from './webhook-mapping';

const MAX_SECRET_LENGTH = 255;
/** Some senders name the algorithm before the signature. */
const ALGORITHM_PREFIX = /^sha256=/;

const form = members(
  {
    name: 'mapping',
    form: webhookMappingForm,
    description:
      'Expressions for fields of an event, over body, headers and query; absent: the body is an event or an array of them.',
  },
  {
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
  },
);

const compiledMapping = perSettings((settings: Settings): CompiledMapping | null => {
  const mapping = readOptionalObject(settings, 'mapping');
  return mapping === undefined ? null : compileWebhookMapping(mapping);
});

const toEvent: EventSource['toEvent'] = (request, settings) => {
  const mapping = compiledMapping(settings);
  return mapping === null ? undefined : mapRequest(mapping, request);
};

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
  eventSource: { clientSide: false, ipPolicy: () => 'keep', verify, toEvent },
};
