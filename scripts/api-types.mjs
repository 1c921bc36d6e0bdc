import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import typescript from 'typescript';
import { ROOT } from './install.mjs';

// Prints the types of the API's document as TypeScript: integers of 64 bits may be a bigint.

const { factory, SyntaxKind } = typescript;

const numberOrBigint = factory.createUnionTypeNode([
  factory.createKeywordTypeNode(SyntaxKind.NumberKeyword),
  factory.createKeywordTypeNode(SyntaxKind.BigIntKeyword),
]);

const document = readFileSync(join(ROOT, 'services', 'api-gateway', 'openapi.json'), 'utf8');
const types = await openapiTS(document, {
  transform: ({ format }) => (format === 'int64' ? numberOrBigint : undefined),
});
process.stdout.write(`${COMMENT_HEADER}${astToString(types)}`);
