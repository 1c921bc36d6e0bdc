import type { ConnectionId, CreatePipeline, PipelineId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';

/** The schema of `send_add_to_cart` of the connector `dummy`. */
export const CART = {
  kind: 'object',
  properties: [
    { name: 'email', type: { kind: 'string' }, createRequired: true },
    { name: 'itemName', type: { kind: 'string' } },
    { name: 'itemId', type: { kind: 'int', bitSize: 32 } },
  ],
};

export const FILTER = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};

const [EMAIL, ITEM_NAME] = CART.properties;

/** A mapping that fits `send_add_to_cart`. */
export const mapped = {
  transformation: JSON.stringify({
    mapping: { email: 'traits.email', itemName: 'properties.name' },
  }),
  outSchema: JSON.stringify({ kind: 'object', properties: [EMAIL, ITEM_NAME] }),
};

/** Text of a transformation with a function that returns an e-mail address, with some members changed. */
export const aFunction = (changes: object = {}): string =>
  JSON.stringify({
    function: {
      source: 'const transform = ({ traits }) => ({ email: traits.email });',
      language: 'JavaScript',
      preserveJSON: false,
      inPaths: ['traits'],
      outPaths: ['email'],
      ...changes,
    },
  });

/** A mapping that fits `send_custom_event`, with a schema of a little more than so many bytes. */
export const ofSize = (bytes: number) => ({
  eventType: 'send_custom_event',
  transformation: JSON.stringify({ mapping: { email: 'traits.email' } }),
  outSchema: JSON.stringify({
    kind: 'object',
    properties: [{ name: 'email', type: { kind: 'string' }, description: 'x'.repeat(bytes) }],
  }),
});

/** A pipeline without a transformation. */
export const aPipeline = (
  connection: ConnectionId | string,
  changes: Partial<CreatePipeline> = {},
): CreatePipeline => ({
  id: newId() as PipelineId,
  connection,
  target: 'Event',
  eventType: 'send_event_with_no_schema',
  name: 'Orders',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
  ...changes,
});
