// Names every export of a library that has no doc comment, and fails when there is one.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { ROOT } from './install.mjs';

/** Files that a program generates from the API's document. */
const GENERATED = ['libs/client/src/api-types.ts'];

const roots = readdirSync(join(ROOT, 'libs')).map((library) =>
  resolve(ROOT, 'libs', library, 'src', 'index.ts'),
);
for (const root of roots.filter((index) => !existsSync(index)))
  throw new Error(`${relative(ROOT, root)} is missing`);
const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const program = ts.createProgram(roots, { ...options, noEmit: true });
const checker = program.getTypeChecker();

const placeOf = (declaration) => {
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return { file: relative(ROOT, file.fileName), line: line + 1 };
};

const isNamespace = (symbol) => (symbol.flags & ts.SymbolFlags.ValueModule) !== 0;

/** Follows a file that is exported as a namespace to its exports. */
const exportsOf = (module) =>
  checker
    .getExportsOfModule(module)
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    .flatMap((symbol) => (isNamespace(symbol) ? exportsOf(symbol) : [symbol]));

const moduleOf = (root) => checker.getSymbolAtLocation(program.getSourceFile(root));
const exported = [...new Set(roots.flatMap((root) => exportsOf(moduleOf(root))))]
  .map((symbol) => ({ symbol, name: symbol.name, ...placeOf(symbol.declarations[0]) }))
  .filter(({ file }) => !GENERATED.includes(file) && !file.includes('node_modules'));
const missing = exported.filter(
  ({ symbol }) => symbol.getDocumentationComment(checker).length === 0,
);

for (const { file, line, name } of missing)
  process.stdout.write(`${file}:${line} ${name} has no doc comment\n`);
process.stdout.write(
  `${exported.length - missing.length} of ${exported.length} exports documented\n`,
);
if (exported.length === 0 || missing.length > 0) process.exit(1);
