import { openApiDocument } from './document';

/** The text of the file. */
export const printDocument = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;
