import { type JsonObject, parseJson } from '@penstock/schema';
import type { Connector } from './connector';

/** A connector as `GET /v1/connectors` shows it: its settings as a schema that also marks secrets. */
export const describeConnector = (connector: Connector): JsonObject => {
  const { code, label, type, categories, asSource, asDestination, settings, terms } = connector;
  const description = {
    code,
    label,
    type,
    categories,
    asSource,
    asDestination,
    settings: settings.type,
    formatSettings: null,
    hasSheets: null,
    fileExtension: null,
    terms,
  };
  return parseJson(JSON.stringify(description)) as JsonObject;
};
