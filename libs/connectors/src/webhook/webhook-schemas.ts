import { EVENT_SCHEMA } from '@penstock/contracts';
import { parseJson, parseSchema, type Property, type Schema, type Type } from '@penstock/schema';

/** What the expressions of a mapping read. */
export const REQUEST_SCHEMA: Schema = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        { name: 'body', type: { kind: 'json' } },
        { name: 'headers', type: { kind: 'map', elementType: { kind: 'string' } } },
        { name: 'query', type: { kind: 'map', elementType: { kind: 'string' } } },
      ],
    }),
  ),
);

/** Set by the service alone. */
const OWN_FIELDS = new Set(['connectionId', 'receivedAt']);
const AS_TEXT = new Set(['string', 'datetime']);

/**
 * What the expressions of a mapping give: the fields of an event as a sender writes them. Texts and times are
 * texts, everything else is any JSON, since intake decides what fits.
 */
export const SENT_EVENT_SCHEMA: Schema = {
  kind: 'object',
  properties: EVENT_SCHEMA.properties.filter(({ name }) => !OWN_FIELDS.has(name)).map(asSent),
};

function asSent({ name, type, description }: Property): Property {
  return {
    name,
    type: typeAsSent(type),
    prefilled: '',
    createRequired: false,
    updateRequired: false,
    readOptional: true,
    nullable: false,
    description,
  };
}

function typeAsSent(type: Type): Type {
  if (type.kind === 'object') return { kind: 'object', properties: type.properties.map(asSent) };
  return { kind: AS_TEXT.has(type.kind) ? 'string' : 'json' };
}
