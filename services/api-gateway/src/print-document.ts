import { CONTROLLERS } from './api-gateway.module';
import { openApiDocument } from './openapi/document';

/** The text of the file. */
export const printDocument = (): string =>
  `${JSON.stringify(openApiDocument(CONTROLLERS), null, 2)}\n`;
