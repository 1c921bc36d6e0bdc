import type { Connector, Connectors } from '@penstock/connectors';

/** The connectors of this installation. Abstract class: what it names is injected. */
export abstract class ConnectorList implements Connectors {
  abstract readonly list: readonly Connector[];
  abstract get(code: string): Connector | undefined;
}
