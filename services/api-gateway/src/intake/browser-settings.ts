import type { IncomingMessage } from 'node:http';
import type { ConnectionState } from '@penstock/contracts';

/** The scheme that the client used, as far as can be told. */
const schemeOf = ({ socket, headers }: IncomingMessage): string => {
  const forwarded = headers['x-forwarded-proto'];
  if (forwarded === 'https' || forwarded === 'http') return forwarded;
  return 'encrypted' in socket ? 'https' : 'http';
};

/**
 * With which Segment's browser SDK starts and sends to us. It posts to `<protocol>://<apiHost>/<letter>`.
 * Source: segmentio/analytics-next, packages/browser, plugins/segmentio.
 */
export const segmentSettings = (writeKey: string, request: IncomingMessage): string =>
  JSON.stringify({
    integrations: {
      'Segment.io': {
        apiKey: writeKey,
        apiHost: `${request.headers.host ?? 'localhost'}/v1`,
        protocol: schemeOf(request),
        unbundledIntegrations: [],
        addBundledMetadata: true,
        maybeBundledConfigIds: {},
      },
    },
    plan: {
      track: { __default: { enabled: true, integrations: {} } },
      identify: { __default: { enabled: true } },
      group: { __default: { enabled: true } },
    },
    edgeFunction: {},
    analyticsNextEnabled: true,
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
  });

/**
 * With which RudderStack's browser SDK starts; it is told where to send by whoever embeds it.
 * Source: rudderlabs/rudder-sdk-js, packages/analytics-js, ConfigManager (`isValidSourceConfig`).
 */
export const rudderstackSettings = ({ id, name, workspace }: ConnectionState): string =>
  JSON.stringify({
    source: {
      id,
      name,
      workspaceId: workspace,
      enabled: true,
      config: {
        statsCollection: { errors: { enabled: false }, metrics: { enabled: false } },
      },
      connections: [],
      destinations: [],
    },
  });
