import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import {
  HighlightStyle,
  bracketMatching,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useEffectEvent, useRef } from "react";

interface Props {
  label: string;
  value: string;
  change: (value: string) => void;
  /** What is said at the line that cannot be read. */
  wrong: string;
}

const theme = EditorView.theme({
  "&": {
    border: "1px solid var(--border)",
    borderRadius: "4px",
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    fontSize: "13px",
  },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", maxHeight: "360px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    border: "none",
    backgroundColor: "transparent",
    color: "var(--muted)",
  },
  ".cm-tooltip": {
    border: "1px solid var(--border)",
    borderRadius: "4px",
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
  },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--danger)" },
  ".cm-matchingBracket": { backgroundColor: "var(--selected) !important" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--vg)" },
  { tag: tags.string, color: "var(--va)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--vf)" },
]);

const nonce = () =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

/** JSON with its colours; what is wrong is marked where it is. Tab leaves it, as it leaves a field. */
export function JsonEditor({ label, value, change, wrong }: Props) {
  const around = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useEffectEvent((text: string) => change(text));
  const create = useEffectEvent((parent: HTMLElement) => {
    const parse = jsonParseLinter();
    const check = linter((of) => parse(of).map((it) => ({ ...it, message: wrong })));
    return new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          lineNumbers(),
          history(),
          json(),
          check,
          lintGutter(),
          bracketMatching(),
          indentOnInput(),
          syntaxHighlighting(colours),
          theme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
  });
  useEffect(() => {
    if (!around.current) return undefined;
    const made = create(around.current);
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    // What others changed comes in, but not under the hand of who writes.
    if (!editor || editor.hasFocus || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={around} />;
}
