import type { FileFormat } from '@penstock/files';
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

/** No connection can be made with a format: it is chosen in a pipeline. */
export const describeFormat = ({ code, label, ...format }: FileFormat): JsonObject => {
  const { settings, writingSettings = settings, hasSheets, fileExtension } = format;
  const targets = ['User'];
  const description = {
    code,
    label,
    type: 'FileFormat',
    categories: ['File format'],
    asSource: { targets, summary: `Imports users from ${label} files of a storage.` },
    asDestination: {
      targets,
      sendingMode: 'Server',
      summary: `Exports profiles to ${label} files of a storage.`,
    },
    settings: { kind: 'object', properties: [] },
    formatSettings: { source: settings.type, destination: writingSettings.type },
    hasSheets,
    fileExtension,
    terms: null,
  };
  return parseJson(JSON.stringify(description)) as JsonObject;
};
