import type { Api } from '../api';
import type { Counter } from './counter';
import { linkedAtFirst, type RouterCase } from './router-case';

/** Concurrent requests to the API. */
const AT_ONCE = 8;

const MEMBERS = ['messageId', 'at', 'user', 'email', 'total', 'currency', 'page'] as const;

const MAPPING =
  'map("messageId", messageId, "at", properties.at, "user", anonymousId, "email", lower(traits.email), ' +
  '"total", properties.total, "currency", coalesce(properties.currency, "EUR"), "page", context.page.url)';

/** A function equivalent to {@link MAPPING}. */
const FUNCTION = `function transform(event) {
  const { messageId, anonymousId: user, properties, traits, context } = event;
  const { at, total, currency = 'EUR' } = properties;
  const email = traits.email.toLowerCase();
  const page = context.page.url;
  return { properties: { ${MEMBERS.join(', ')} } };
}`;

const TRANSFORMATIONS = {
  mapping: { mapping: { properties: MAPPING } },
  JavaScript: {
    function: {
      source: FUNCTION,
      language: 'JavaScript',
      preserveJSON: false,
      inPaths: ['anonymousId', 'context', 'messageId', 'properties', 'traits'],
      outPaths: ['properties'],
    },
  },
};

export const pipelineOf = (
  name: string,
  connection: string,
  event: string,
  transformation: 'mapping' | 'JavaScript',
): object => ({
  connection,
  target: 'Event',
  eventType: 'send_values',
  name,
  enabled: true,
  filter: {
    logical: 'and',
    conditions: [
      { property: 'type', operator: 'is', values: ['track'] },
      { property: 'event', operator: 'is', values: [event] },
      { property: 'properties.total', operator: 'is greater than', values: ['10'] },
    ],
  },
  transformation: TRANSFORMATIONS[transformation],
  outSchema: {
    kind: 'object',
    properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
  },
});

/** Pipelines that write the events of a source, and the identities in them, into the warehouse. */
const writing = (connection: string): readonly object[] => {
  const email = { name: 'email', type: { kind: 'string' }, readOptional: true };
  return [
    { connection, target: 'Event', name: 'Events', enabled: true },
    {
      ...{ connection, target: 'User', name: 'Identities', enabled: true },
      transformation: { mapping: { email: 'traits.email' } },
      outSchema: { kind: 'object', properties: [email] },
    },
  ];
};

/** The name of the events of a destination. */
export const eventName = (destination: number): string =>
  `E-${String(destination).padStart(3, '0')}`;

const inTurns = async (count: number, make: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await make(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
};

/** The configuration of a case. */
export interface Configured {
  /** The source's write key. */
  readonly key: string;
  /** Links a destination. */
  readonly link: (destination: number) => Promise<unknown>;
  /** The pipeline of the first destination. */
  readonly pipeline: string;
  /** A definition of that pipeline which gives other values. */
  readonly draft: object;
}

/** Creates source, destinations and pipelines of a case. Destinations that will have troubles are not linked. */
export const setUp = async (
  api: Api,
  counter: Counter,
  routerCase: RouterCase,
): Promise<Configured> => {
  const { destinations = 1, isSpread = false, others = 0, isTroubled = false } = routerCase;
  const { transformation = 'mapping', batchSize = 100 } = routerCase;
  const source = await api.source('shop');
  const ids: string[] = [];
  const pipelines: string[] = [];
  const linked = linkedAtFirst(routerCase);
  const link = (index: number): Promise<unknown> =>
    api.post(`/v1/connections/${source.id}/links/${ids[index]}`);
  await inTurns(destinations, async (index) => {
    const { id } = await api.post<{ id: string }>('/v1/connections', {
      name: `Destination ${index}`,
      role: 'Destination',
      connector: 'http',
      settings: {
        url: counter.url(index),
        batchSize,
        ...(isTroubled && index === destinations - 1 && { rate: 1 }),
      },
    });
    ids[index] = id;
    if (index < linked) await link(index);
    const event = eventName(isSpread ? index : 0);
    const pipeline = pipelineOf(`Pipeline ${index}`, id, event, transformation);
    pipelines[index] = (await api.post<{ id: string }>('/v1/pipelines', pipeline)).id;
  });
  await inTurns(others, (index) =>
    api.post(
      '/v1/pipelines',
      pipelineOf(`Other ${index}`, ids[0] ?? '', `Other ${index}`, 'mapping'),
    ),
  );
  if (routerCase.isWritten === true)
    for (const pipeline of writing(source.id)) await api.post('/v1/pipelines', pipeline);
  const draft = {
    ...pipelineOf('Draft', ids[0] ?? '', eventName(0), 'mapping'),
    transformation: { mapping: { properties: MAPPING.replace('"EUR"', '"USD"') } },
  };
  return { key: source.key, link, pipeline: pipelines[0] ?? '', draft };
};
