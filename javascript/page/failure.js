/** A failure with a kind that the page has words for. */
export class Failure extends Error {
  constructor(kind, message, more = {}) {
    super(message);
    this.kind = kind;
    Object.assign(this, more);
  }
}
