import { join } from 'node:path';

/** Path of the committed document that is also served. The same from the sources and from the build of this service. */
export const DOCUMENT_FILE = join(__dirname, '..', '..', 'openapi.json');

/** Command that rewrites the file. */
export const WRITE_COMMAND = 'node scripts/openapi.mjs';
