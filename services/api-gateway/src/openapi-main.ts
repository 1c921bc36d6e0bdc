import { writeFileSync } from 'node:fs';
import { DOCUMENT_FILE } from './openapi/document-file';
import { printDocument } from './print-document';

writeFileSync(DOCUMENT_FILE, printDocument());
