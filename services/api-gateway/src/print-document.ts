import { CONTROLLERS } from './api-gateway.module';
import { openApiDocument } from './openapi/document';

/** Returns the text of the document's file. */
export const printDocument = (): string =>
  `${JSON.stringify(openApiDocument(CONTROLLERS), null, 2)}\n`;
