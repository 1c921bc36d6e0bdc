import { utils } from 'ssh2';
import { maskSettings } from '../../connector/mask-settings';
import { parseJson, writeJson } from '@penstock/schema';
import { badPaths, checked } from '../../settings-table.fixture';
import { sftpConnector } from './sftp-connector';

const keys = utils.generateKeyPairSync('ed25519');
const rsa = utils.generateKeyPairSync('rsa', { bits: 2_048 });
const locked = utils.generateKeyPairSync('ed25519', {
  cipher: 'aes256-ctr',
  passphrase: 'secret',
  rounds: 1,
});
const SERVER = { host: 'sftp.example', username: 'exporter', password: 'password-1234' };
const { password: _, ...NOBODY } = SERVER;
const x = (length: number): string => 'x'.repeat(length);

it('fills in defaults', () => {
  expect(checked(sftpConnector, SERVER)).toEqual({ ...SERVER, port: 22 });
});

it.each<[object, string[]]>([
  [SERVER, []],
  [{}, ['/host', '/username', '/password']],
  [{ ...SERVER, host: '' }, ['/host']],
  [{ ...SERVER, host: 'a.example:22' }, ['/host']],
  [{ ...SERVER, host: '::1' }, []],
  [{ ...SERVER, port: 0 }, ['/port']],
  [{ ...SERVER, port: 65_535 }, []],
  [{ ...SERVER, port: 65_536 }, ['/port']],
  [{ ...SERVER, username: '' }, ['/username']],
  [{ ...SERVER, username: x(255) }, []],
  [{ ...SERVER, username: x(256) }, ['/username']],
  [{ ...SERVER, password: '' }, ['/password']],
  [{ ...SERVER, password: x(255) }, []],
  [{ ...SERVER, password: x(256) }, ['/password']],
  [NOBODY, ['/password']],
  [{ ...SERVER, privateKey: keys.private }, ['/privateKey']],
  [{ ...NOBODY, privateKey: keys.private }, []],
  [{ ...NOBODY, privateKey: rsa.private }, []],
  [{ ...NOBODY, privateKey: keys.public }, ['/privateKey']],
  [{ ...NOBODY, privateKey: locked.private }, ['/privateKey']],
  [{ ...NOBODY, privateKey: 'none' }, ['/privateKey']],
  [{ ...NOBODY, privateKey: x(16_385) }, ['/privateKey']],
  [{ ...SERVER, hostPublicKey: keys.public }, []],
  [{ ...SERVER, hostPublicKey: `${rsa.public} a comment` }, []],
  [{ ...SERVER, hostPublicKey: keys.private }, ['/hostPublicKey']],
  [{ ...SERVER, hostPublicKey: 'ssh-ed25519 AAAA' }, ['/hostPublicKey']],
  [{ ...SERVER, tempPath: '/tmp/in' }, []],
  [{ ...SERVER, tempPath: 'tmp/' }, []],
  [{ ...SERVER, tempPath: '/' }, ['/tempPath']],
  [{ ...SERVER, tempPath: '../tmp' }, ['/tempPath']],
  [{ ...SERVER, tempPath: 'a//b' }, ['/tempPath']],
  [{ ...SERVER, tempPath: x(1_024) }, []],
  [{ ...SERVER, tempPath: x(1_025) }, ['/tempPath']],
  [{ ...SERVER, passphrase: 'x' }, ['/passphrase']],
])('checks the settings %#', (settings, paths) => {
  expect(badPaths(sftpConnector, settings)).toEqual(paths);
});

it('masks its secrets, and shows the key of the server', () => {
  const masked = (settings: object): string =>
    writeJson(
      maskSettings(
        sftpConnector,
        sftpConnector.checkSettings(parseJson(JSON.stringify(settings)), 'Source'),
      ),
    );
  expect(masked(SERVER)).toContain('"password":"••••1234"');
  const shown = masked({ ...NOBODY, privateKey: keys.private, hostPublicKey: keys.public });
  expect(shown).not.toContain('BEGIN');
  expect(shown).toContain(keys.public);
});
