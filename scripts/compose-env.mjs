import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Writes the secrets that docker-compose.yml needs to `.env` beside it: `npm run compose:env`. Needs no packages. An
// existing file is never changed, since the secret of an installation that has data cannot be replaced.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = join(ROOT, '.env');
const NEEDED = ['PENSTOCK_SECRET', 'PENSTOCK_BOOTSTRAP_KEY', 'POSTGRES_PASSWORD'];

/** 64 hexadecimal characters, 256 bits: valid in a URL, and as an API key. */
const random = () => randomBytes(32).toString('hex');

/** As for `PENSTOCK_SECRET`. */
const MIN_SECRET = 32;

/** `npm start` reads .env too: the secret of its data, if there is any, must stay the same. */
const secret = () => {
  const file = join(resolve(ROOT, process.env.PENSTOCK_DATA || '.penstock'), 'secret');
  if (!existsSync(file)) return random();
  const present = readFileSync(file, 'utf8').trim();
  if (present.length >= MIN_SECRET) return present;
  process.stderr.write(
    `${file} is not a whole secret, so that .env is not written: npm start says what to do\n`,
  );
  process.exit(1);
};

const text = `# Written by npm run compose:env. Keep it: the data cannot be read without PENSTOCK_SECRET.
PENSTOCK_SECRET=${secret()}
# The first API key, of scope admin.
PENSTOCK_BOOTSTRAP_KEY=${random()}
POSTGRES_PASSWORD=${random()}
`;

const shown = relative(process.cwd(), FILE);
try {
  writeFileSync(FILE, text, { mode: 0o600, flag: 'wx' });
  process.stdout.write(`${shown} is written: ${NEEDED.join(', ')}\n`);
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  const present = readFileSync(FILE, 'utf8');
  const missing = NEEDED.filter((name) => !new RegExp(`^${name}=.`, 'm').test(present));
  process.stderr.write(
    missing.length === 0
      ? `${shown} exists already and has what is needed: it is left as it is\n`
      : `${shown} exists already and is left as it is: add ${missing.join(', ')} to it\n`,
  );
  process.exit(missing.length === 0 ? 0 : 1);
}
