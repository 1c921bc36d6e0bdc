import { codePointLength } from '@penstock/schema';
import { STRING, BOOLEAN } from '../types/plain-types';
import { ExpressionFault } from './expression-fault';
import { numberLiteral } from './number-literal';
import { readString } from './string-literal';
import type { CallNode, LiteralNode, Node, PathNode, Step } from './tree';

/** Limits of one expression; the number of keys of a mapping is limited separately. */
export const EXPRESSION_LIMITS = {
  /** Code points. */
  maxCharacters: 10_000,
  /** Literals, paths and calls. */
  maxNodes: 1_000,
  /** Nesting of calls. */
  maxNesting: 32,
} as const;

const SPACE = /[ \t\n\r]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const AFTER_NUMBER = ' \t\n\r"\',)';
const AFTER_KEYWORD = '.[?';

const KEYWORDS: Readonly<Record<string, Pick<LiteralNode, 'type' | 'value'>>> = {
  true: { type: BOOLEAN, value: true },
  false: { type: BOOLEAN, value: false },
  null: { type: null, value: null },
};

class Parser {
  private at = 0;
  private nodes = 0;

  constructor(private readonly text: string) {}

  whole(): Node {
    const node = this.expression(0);
    if (this.at < this.text.length) throw this.unexpected();
    return node;
  }

  private expression(nesting: number): Node {
    this.take(SPACE);
    const at = this.at;
    const parts: Node[] = [];
    while (this.at < this.text.length && !this.isOneOf(',)')) {
      parts.push(this.part(nesting));
      this.take(SPACE);
    }
    const [first] = parts;
    if (!first) throw new ExpressionFault('an expression is expected', at);
    return parts.length === 1 ? first : { kind: 'concatenation', at, parts };
  }

  private part(nesting: number): Node {
    this.nodes++;
    if (this.nodes > EXPRESSION_LIMITS.maxNodes)
      throw this.fault(`more than ${EXPRESSION_LIMITS.maxNodes} literals, paths and calls`);
    if (this.isOneOf('"\'')) return this.string();
    if (this.isOneOf('-0123456789')) return this.number();
    return this.isOneOf('.') ? this.dottedPath() : this.named(nesting);
  }

  private string(): LiteralNode {
    const at = this.at;
    const { content, end } = readString(this.text, at);
    this.at = end;
    return { kind: 'literal', at, type: STRING, value: content };
  }

  private number(): LiteralNode {
    const at = this.at;
    const digits = this.take(NUMBER);
    if (digits === '') throw this.fault('digits are expected after "-"');
    if (this.at < this.text.length && !this.isOneOf(AFTER_NUMBER))
      throw this.fault('a number ends before white space, a quote, "," or ")"');
    const literal = numberLiteral(digits);
    if (literal) return { kind: 'literal', at, ...literal };
    throw new ExpressionFault('a number has at most 76 digits before and 37 after the point', at);
  }

  /** Parses what begins with a name: a keyword, a call or a path. */
  private named(nesting: number): Node {
    const at = this.at;
    const name = this.take(NAME);
    if (name === '') throw this.unexpected();
    const end = this.at;
    this.take(SPACE);
    if (this.isOneOf('(')) return this.call(at, name, nesting + 1);
    this.at = end;
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
    if (!keyword) return this.path(at, name);
    if (this.isOneOf(AFTER_KEYWORD)) throw this.fault(`for a property write ".${name}"`);
    return { kind: 'literal', at, ...keyword };
  }

  private call(at: number, name: string, nesting: number): CallNode {
    if (nesting > EXPRESSION_LIMITS.maxNesting)
      throw new ExpressionFault(`nested deeper than ${EXPRESSION_LIMITS.maxNesting} calls`, at);
    this.at++;
    const given: Node[] = [];
    this.take(SPACE);
    if (!this.accept(')')) {
      do given.push(this.expression(nesting));
      while (this.accept(','));
      if (!this.accept(')')) throw this.fault(`"," or ")" is expected in ${name}(…)`);
    }
    return { kind: 'call', at, name, arguments: given };
  }

  private dottedPath(): PathNode {
    const at = this.at++;
    return this.path(at, this.nameAfterDot());
  }

  private path(at: number, name: string): PathNode {
    const root = this.step(at, name);
    const steps: Step[] = [];
    for (;;) {
      const start = this.at;
      if (this.accept('.')) steps.push(this.step(start, this.nameAfterDot()));
      else if (this.accept('[')) steps.push(this.step(start, this.nameInBrackets()));
      else if (this.isOneOf('(')) throw this.fault('a path cannot be called');
      else return { kind: 'path', at, root, steps };
    }
  }

  private step(at: number, name: string): Step {
    return { at, name, lenient: this.accept('?') };
  }

  private nameAfterDot(): string {
    const name = this.take(NAME);
    if (name === '') throw this.fault('a property name is expected after "."');
    return name;
  }

  private nameInBrackets(): string {
    this.take(SPACE);
    if (!this.isOneOf('"\'')) throw this.fault('a string is expected after "["');
    const { content, end } = readString(this.text, this.at);
    this.at = end;
    this.take(SPACE);
    if (!this.accept(']')) throw this.fault('"]" is expected');
    return content;
  }

  /** Consumes the match of a sticky pattern; returns it, possibly empty. */
  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [''];
    this.at += found.length;
    return found;
  }

  private isOneOf(characters: string): boolean {
    const character = this.text[this.at];
    return character !== undefined && characters.includes(character);
  }

  private accept(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private fault(message: string): ExpressionFault {
    return new ExpressionFault(message, this.at);
  }

  private unexpected(): ExpressionFault {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) return this.fault('the expression ends too early');
    return this.fault(`unexpected ${JSON.stringify(String.fromCodePoint(code))}`);
  }
}

/**
 * Parses an expression into a tree.
 *
 * @throws ExpressionFault for any text that is not one, and nothing else.
 */
export const parseExpression = (text: string): Node => {
  const bad = /\0|\p{Surrogate}/u.exec(text);
  if (bad) throw new ExpressionFault('NUL and lone surrogates are not allowed', bad.index);
  if (codePointLength(text) > EXPRESSION_LIMITS.maxCharacters)
    throw new ExpressionFault(`longer than ${EXPRESSION_LIMITS.maxCharacters} characters`, 0);
  return new Parser(text).whole();
};
