import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Who may log in to a server for specs. */
interface ClickhouseAccounts {
  /** Password of `penstock`, who may do everything. */
  readonly password: string;
  /** Names and passwords of more users; the value of the setting `readonly` of each. */
  readonly users: readonly { name: string; password: string; readonly: 0 | 1 }[];
}

/** How a server for specs is configured. */
export interface ClickhouseConfiguration extends ClickhouseAccounts {
  readonly folder: string;
  readonly port: number;
  readonly timezone: string;
  /** Certificate and key in PEM; absent: the server talks HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

const user = (name: string, password: string, profile: string): string =>
  `<${name}><password>${password}</password><networks><ip>127.0.0.1</ip></networks>` +
  `<profile>${profile}</profile><quota>default</quota></${name}>`;

const users = ({ password, users: more }: ClickhouseAccounts): string =>
  `<yandex><profiles><default/><readonly><readonly>1</readonly></readonly></profiles>
  <users>${user('penstock', password, 'default')}
  ${more.map((each) => user(each.name, each.password, each.readonly === 1 ? 'readonly' : 'default')).join('\n')}
  </users><quotas><default/></quotas></yandex>`;

const encryption = (folder: string): string =>
  `<openSSL><server><certificateFile>${join(folder, 'cert.pem')}</certificateFile>
  <privateKeyFile>${join(folder, 'key.pem')}</privateKeyFile><verificationMode>none</verificationMode>
  </server></openSSL>`;

const server = ({ folder, port, timezone, tls }: ClickhouseConfiguration): string => {
  const listener = tls === undefined ? 'http_port' : 'https_port';
  return `<yandex>
  <logger><level>warning</level><log>${join(folder, 'log')}</log><errorlog>${join(folder, 'errors')}</errorlog></logger>
  <listen_host>127.0.0.1</listen_host><${listener}>${String(port)}</${listener}>
  ${tls === undefined ? '' : encryption(folder)}
  <path>${join(folder, 'data')}/</path><tmp_path>${join(folder, 'tmp')}/</tmp_path>
  <users_config>${join(folder, 'users.xml')}</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>1048576</mark_cache_size><timezone>${timezone}</timezone></yandex>`;
};

/**
 * Writes the files of a configuration into its folder.
 *
 * @returns path of the one that the server is started with.
 */
export const writeConfiguration = async (
  configuration: ClickhouseConfiguration,
): Promise<string> => {
  const { folder, tls } = configuration;
  const path = join(folder, 'config.xml');
  await writeFile(path, server(configuration));
  await writeFile(join(folder, 'users.xml'), users(configuration));
  if (tls !== undefined) {
    await writeFile(join(folder, 'cert.pem'), tls.cert);
    await writeFile(join(folder, 'key.pem'), tls.key);
  }
  return path;
};
