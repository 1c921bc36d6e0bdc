import { join } from 'node:path';

/** The document as it is committed and served: at the root of this service, seen from its sources and its build alike. */
export const DOCUMENT_FILE = join(__dirname, '..', '..', 'openapi.json');

/** What writes the file again. */
export const WRITE_COMMAND = 'node scripts/openapi.mjs';
