import type { ApiClient } from '../harness/api-client';

/** Runs that are held hold up a resolution, which then holds up other runs for seconds. */
export const withoutResolutions = async (api: ApiClient): Promise<void> => {
  const settings = { runOnBatchImport: false, eventDelay: null, identifiers: [] };
  await api.call('PUT', '/v1/identity-resolution/settings', settings);
};

/** Makes a workspace whose warehouse is a schema of this database. @returns its id. */
export const newWorkspace = async (
  api: ApiClient,
  schema: string,
  databaseUrl: string,
): Promise<string> => {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const settings = {
    ...{
      host: hostname,
      port: Number(port),
      username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    },
    ...{ schema, sslMode: 'disable' },
  };
  const body = { name: schema, warehouse: { platform: 'PostgreSQL', settings } };
  const { id } = (await api.call('POST', '/v1/workspaces', body)) as { readonly id: string };
  return id;
};
