import { EVENT_SCHEMA, eventCodec } from '@penstock/contracts';
import { parseJson, type RecordValue, type Schema } from '@penstock/schema';
import { compileMapping } from '@penstock/transformations';
import type { EventType, OutgoingEvent } from './connector/event-destination';
import { anOutgoingEvent } from './outgoing-event.fixture';

/** Some vendors take no event of long ago. */
const NOW = new Date().toISOString();

/** An event as a source receives it, with something in every place that a prefilled expression reads. */
export const aReceivedEvent = (members: object = {}): RecordValue =>
  eventCodec.decode(
    parseJson(
      JSON.stringify({
        connectionId: 'source-1',
        anonymousId: 'anonymous-1',
        context: {
          ip: '192.0.2.7',
          page: {
            url: 'https://shop.example/cart?step=2',
            title: 'Cart',
            referrer: 'https://search.example/',
          },
          session: { id: 1_772_357_400_000 },
        },
        event: 'Order_Completed',
        groupId: 'group-1',
        messageId: 'message-1',
        name: 'Cart',
        previousId: 'previous-1',
        properties: { order_id: 'o-1', total: 12.5, paid: true },
        traits: { email: 'ada@example.com', plan: 'free' },
        type: 'track',
        userId: 'user-1',
        receivedAt: NOW,
        sentAt: NOW,
        originalTimestamp: NOW,
        timestamp: NOW,
        ...members,
      }),
    ),
  );

/** The expressions that a connector proposes, by path. */
export const prefilledIn = (schema: Schema, at = ''): [path: string, expression: string][] =>
  schema.properties.flatMap(({ name, type, prefilled }) => [
    ...(prefilled === '' ? [] : [[at + name, prefilled] as [string, string]]),
    ...(type.kind === 'object' ? prefilledIn(type, `${at}${name}.`) : []),
  ]);

/** The schema without what has no expression. */
const mapped = (schema: Schema, paths: readonly string[], at = ''): Schema => ({
  kind: 'object',
  properties: schema.properties
    .filter(({ name }) => paths.some((path) => `${path}.`.startsWith(`${at}${name}.`)))
    .map((property) => {
      const { type, name } = property;
      const whole = type.kind !== 'object' || paths.includes(at + name);
      return {
        ...property,
        prefilled: '',
        type: whole ? type : mapped(type, paths, `${at}${name}.`),
      };
    }),
});

/**
 * The n-th event that a pipeline sends which somebody has made of what the connector proposes.
 *
 * @param expressions instead of the proposed ones, or beside them.
 */
export const prefilledEvent = (
  { id, schema }: EventType,
  event: RecordValue,
  expressions: Readonly<Record<string, string>> = {},
  n = 1,
): OutgoingEvent => {
  const proposed = schema === null ? [] : prefilledIn(schema);
  const mapping = new Map([...proposed, ...Object.entries(expressions)]);
  if (schema === null || mapping.size === 0) return anOutgoingEvent(n, { eventType: id, event });
  const outSchema = mapped(schema, [...mapping.keys()]);
  const values = compileMapping(mapping, EVENT_SCHEMA, outSchema).apply(event, 'Create');
  return anOutgoingEvent(n, { eventType: id, event, values, outSchema });
};
