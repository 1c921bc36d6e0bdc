import type { Connector, Connectors } from '@penstock/connectors';
import { type ConnectionRole, Refusal } from '@penstock/contracts';

/**
 * Finds the connector of a connection with this role.
 *
 * @throws Refusal ConnectorNotExist; BadRequest when the connector does not have the role.
 */
export const connectorFor = (
  connectors: Connectors,
  code: string,
  role: ConnectionRole,
): Connector => {
  const connector = connectors.get(code);
  if (connector === undefined) throw new Refusal('ConnectorNotExist', { kind: 'refused' });
  const description = role === 'Source' ? connector.asSource : connector.asDestination;
  if (description !== null) return connector;
  throw new Refusal('BadRequest', {
    details: [{ path: '/role', message: `connector ${code} cannot be a ${role.toLowerCase()}` }],
  });
};
