import { FileFault } from '@penstock/files';
import { isJsonObject, type Issue, JsonNumber, type JsonObject } from '@penstock/schema';
import {
  type Form,
  integer,
  members,
  readNumber,
  readOptionalText,
  readText,
  text,
} from '@penstock/settings';
import { type ParsedKey, utils } from 'ssh2';
import { folderStepsOf } from '../check-path';
import { hostName } from '../host-name';

const MAX_NAME_LENGTH = 255;
const MAX_KEY_LENGTH = 16_384;
const MAX_PATH_LENGTH = 1_024;

/** A key; undefined for a text that is none, or that a passphrase protects. */
const keyIn = (given: string): ParsedKey | undefined => {
  // A text of several keys gives a list, which the declarations of the library do not know.
  const parsed = utils.parseKey(given) as ParsedKey | Error | readonly ParsedKey[];
  return parsed instanceof Error || !('isPrivateKey' in parsed) ? undefined : parsed;
};

const privateKeyProblem = (given: string): string | undefined =>
  keyIn(given)?.isPrivateKey() === true
    ? undefined
    : 'must be a private key without a passphrase, in the form of OpenSSH or PEM';

const hostKeyProblem = (given: string): string | undefined =>
  keyIn(given)?.isPrivateKey() === false
    ? undefined
    : 'must be a public key in the form of OpenSSH, such as ssh-ed25519 AAAA…';

const withoutLastSlash = (folder: string): string => folder.replace(/(?<=.)\/$/, '');

const folderProblem = (folder: string): string | undefined => {
  try {
    folderStepsOf(withoutLastSlash(folder));
    return undefined;
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    return error.message;
  }
};

const form = members(
  { name: 'host', form: hostName, description: 'Host name or IP address.', required: true },
  {
    name: 'port',
    form: integer(1, 65_535),
    description: 'Port of the server.',
    default: new JsonNumber('22'),
  },
  {
    name: 'username',
    form: text({ maxLength: MAX_NAME_LENGTH }),
    description: 'Name of the user.',
    required: true,
  },
  {
    name: 'password',
    form: text({ maxLength: MAX_NAME_LENGTH, secret: true }),
    description: 'Password of the user; either this or privateKey.',
  },
  {
    name: 'privateKey',
    form: text({ maxLength: MAX_KEY_LENGTH, secret: true, problem: privateKeyProblem }),
    description: 'Private key of the user, without a passphrase; either this or password.',
  },
  {
    name: 'hostPublicKey',
    form: text({ maxLength: MAX_KEY_LENGTH, problem: hostKeyProblem }),
    description: 'Public key that the server must have; absent: any.',
  },
  {
    name: 'tempPath',
    form: text({ maxLength: MAX_PATH_LENGTH, problem: folderProblem }),
    description:
      'Folder in which files are written before they get their names, on the same file system; absent: beside them.',
  },
);

const reportOneWay = (settings: JsonObject, path: string, issues: Issue[]): void => {
  if (settings.has('password') && settings.has('privateKey'))
    issues.push({ path: `${path}/privateKey`, message: 'must not stand beside password' });
  if (!settings.has('password') && !settings.has('privateKey'))
    issues.push({ path: `${path}/password`, message: 'is required without privateKey' });
};

/** Settings of the `sftp` connector. */
export const sftpForm: Form = {
  ...form,
  check: (json, path, issues) => {
    const checked = form.check(json, path, issues);
    if (isJsonObject(json)) reportOneWay(json, path, issues);
    return checked;
  },
};

/** Settings that have been checked, ready to connect with. */
export interface SftpServer {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string | undefined;
  readonly privateKey: string | undefined;
  /** The key that the server must have. */
  readonly hostKey: { readonly type: string; readonly bytes: Buffer } | undefined;
  /** From the root, without a slash at the end. */
  readonly tempPath: string | undefined;
}

/** The path of a file or folder from the root of a server. @throws FileFault InvalidPath, InvalidPlaceholder */
export const sftpPath = (path: string): string => `/${folderStepsOf(path).join('/')}`;

/** What the checked settings name. */
export const sftpServerOf = (settings: JsonObject): SftpServer => {
  const hostKey = keyIn(readOptionalText(settings, 'hostPublicKey') ?? '');
  const tempPath = readOptionalText(settings, 'tempPath');
  return {
    host: readText(settings, 'host'),
    port: readNumber(settings, 'port'),
    username: readText(settings, 'username'),
    password: readOptionalText(settings, 'password'),
    privateKey: readOptionalText(settings, 'privateKey'),
    hostKey: hostKey && { type: hostKey.type, bytes: hostKey.getPublicSSH() },
    tempPath: tempPath === undefined ? undefined : sftpPath(withoutLastSlash(tempPath)),
  };
};
