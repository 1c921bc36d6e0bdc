// Builds the graph of folders of each project from the imports of its files, types included. Fails when folders import
// each other in a cycle, or files do at run time. Test code is left out: it may import from everywhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { ROOT } from './install.mjs';

const FOR_TESTS = /\.(spec|fixture|contract|conformance|mutant)\.ts$|(^|\/)(testing|contract)\//;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !FOR_TESTS.test(name))
    .map((name) => join(folder, name));

/** Whether the import is erased at compile time. */
const isOfTypes = ({ importClause }) => {
  const elements = importClause?.namedBindings?.elements;
  const areTypes = elements?.length > 0 && elements.every(({ isTypeOnly }) => isTypeOnly);
  return importClause?.isTypeOnly === true || (areTypes && importClause.name === undefined);
};

/** The files of the project that a file imports or exports from: `{ path, atRunTime }`. */
const importsOf = (file) =>
  ts
    .createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
    .statements.filter((each) => each.moduleSpecifier?.text.startsWith('.'))
    .map((each) => ({
      path: resolve(dirname(file), each.moduleSpecifier.text),
      atRunTime: !each.isTypeOnly && !isOfTypes(each),
    }))
    .map(({ path, ...more }) => ({
      path: [`${path}.ts`, join(path, 'index.ts')].find(existsSync),
      ...more,
    }))
    .filter(({ path }) => path !== undefined);

/**
 * The index of a library imports from every folder and none of its files import it: it counts as a folder of its own.
 */
const placeOf = (file) => (file.endsWith('/index.ts') ? file : dirname(file));

/** Maps each folder to those that it imports from, with the imports: `{ from, to }` of files. */
const graphOf = (files, placeOfFile, counts) => {
  const edges = new Map();
  for (const file of files)
    for (const { path, ...how } of importsOf(file)) {
      const [from, to] = [placeOfFile(file), placeOfFile(path)];
      if (from === to || !counts(how)) continue;
      const targets = edges.get(from) ?? new Map();
      targets.set(to, [...(targets.get(to) ?? []), { from: file, to: path }]);
      edges.set(from, targets);
    }
  return edges;
};

/** Finds the strongly connected components of more than one folder. */
const circlesOf = (edges) => {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const circles = [];
  const visit = (folder) => {
    index.set(folder, index.size);
    low.set(folder, index.get(folder));
    stack.push(folder);
    for (const target of edges.get(folder)?.keys() ?? [])
      if (!index.has(target)) {
        visit(target);
        low.set(folder, Math.min(low.get(folder), low.get(target)));
      } else if (stack.includes(target))
        low.set(folder, Math.min(low.get(folder), index.get(target)));
    if (low.get(folder) !== index.get(folder)) return;
    const circle = stack.splice(stack.indexOf(folder));
    if (circle.length > 1) circles.push(circle);
  };
  for (const folder of edges.keys()) if (!index.has(folder)) visit(folder);
  return circles;
};

const projects = () =>
  ['libs', 'services', 'tools']
    .flatMap((kind) => readdirSync(join(ROOT, kind)).map((name) => join(ROOT, kind, name, 'src')))
    .filter(existsSync);

/** Describes a cycle by one import for each of its edges. */
const described = (src, circle, edges) =>
  circle.flatMap((from) =>
    [...(edges.get(from) ?? [])]
      .filter(([to]) => circle.includes(to))
      .map(([, [first, ...others]]) => {
        const more = others.length > 0 ? ` and ${others.length} more` : '';
        return `  ${relative(src, first.from)} imports ${relative(src, first.to)}${more}`;
      }),
  );

/** Self-test: adds the reverse of the first edge and checks that the cycle is found. */
const seesPlanted = (edges) => {
  const [[from, targets] = []] = edges;
  if (from === undefined) return true;
  const [to] = targets.keys();
  const planted = new Map(edges).set(to, new Map([...(edges.get(to) ?? []), [from, []]]));
  return circlesOf(planted).length > 0;
};

/** Prints the cycles of a graph. @returns their number. */
const report = (src, edges) => {
  if (!seesPlanted(edges)) throw new Error(`${relative(ROOT, src)}: a planted circle is not seen`);
  const circles = circlesOf(edges);
  for (const circle of circles) {
    const names = circle.map((place) => relative(src, place) || '.').sort();
    process.stdout.write(`${relative(ROOT, src)}: a circle of ${names.join(', ')}\n`);
    process.stdout.write(`${described(src, circle, edges).join('\n')}\n`);
  }
  return circles.length;
};

let folders = 0;
let files = 0;
let circles = 0;
for (const src of projects()) {
  const own = filesIn(src);
  files += own.length;
  folders += new Set(own.map((file) => dirname(file))).size;
  circles += report(
    src,
    graphOf(own, placeOf, () => true),
  );
  circles += report(
    src,
    graphOf(
      own,
      (file) => file,
      ({ atRunTime }) => atRunTime,
    ),
  );
}
process.stdout.write(`${files} files in ${folders} folders, ${circles} circles\n`);
if (folders === 0 || circles > 0) process.exit(1);
