import { ApiClient } from './api-client';
import type { Installation } from './installation';

/** Where a flow is created. */
export interface Place extends Pick<Installation, 'address' | 'apiKey'> {
  /** Id of the workspace; default: the only one. */
  readonly workspace?: string;
}

export interface FlowOptions {
  /** The URL that the destination posts to. */
  readonly url: string;
  /** Events per request; default: 1. */
  readonly batchSize?: number;
  readonly filter: object;
  /** An expression for the JSON to post. */
  readonly mapping: string;
}

/** Ids of a linked source and destination with a pipeline. */
export interface Flow {
  readonly source: string;
  readonly destination: string;
  readonly pipeline: string;
  readonly writeKey: string;
}

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

export const makeFlow = async (
  { address, apiKey, workspace }: Place,
  { url, batchSize = 1, filter, mapping }: FlowOptions,
): Promise<Flow> => {
  const api = new ApiClient(address, apiKey, { ...(workspace !== undefined && { workspace }) });
  const destination = await api.createConnection({
    name: 'Receiver',
    role: 'Destination',
    connector: 'http',
    settings: { url, batchSize },
  });
  const source = await api.createConnection({
    name: 'Shop',
    role: 'Source',
    connector: 'nodejs',
    settings: {},
  });
  await api.link(source, destination);
  const pipeline = await api.createPipeline({
    name: 'To the receiver',
    connection: destination,
    eventType: 'send_values',
    enabled: true,
    filter,
    transformation: { mapping: { properties: mapping } },
    outSchema: OUT_SCHEMA,
  });
  return { source, destination, pipeline, writeKey: await api.writeKeyOf(source) };
};
