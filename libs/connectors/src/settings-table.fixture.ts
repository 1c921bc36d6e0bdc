import { Invalid, type Issue, parseJson, writeJson } from '@penstock/schema';
import type { Connector } from './connector/connector';

/** The settings as a connection would hold them, or what is wrong with them. */
export const checked = (connector: Connector, plain: unknown): unknown => {
  const json = parseJson(JSON.stringify(plain));
  const settings = connector.checkSettings(json, connector.asSource ? 'Source' : 'Destination');
  return JSON.parse(writeJson(settings)) as unknown;
};

export const issuesOf = (connector: Connector, text: string): readonly Issue[] => {
  try {
    connector.checkSettings(parseJson(text), 'Destination');
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
};

/** Where the settings are wrong. */
export const badPaths = (connector: Connector, plain: unknown): string[] =>
  issuesOf(connector, JSON.stringify(plain)).map(({ path }) => path);
