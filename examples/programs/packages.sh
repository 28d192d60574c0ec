#!/bin/sh
# The packages that are installed on a Debian system as a source, each with its description: sh and awk are enough.
# Cormorant writes a line of JSON for each thing that it asks; names of packages hold nothing that JSON would escape.

LC_ALL=C
export LC_ALL
status=/var/lib/dpkg/status

field() {
    printf '%s\n' "$line" | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"
}

# Reads the paragraphs of the status file: `key` empty names all packages, else it prints that one.
packages() {
    awk -v key="$1" '
        function json(text) {
            gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/\t/, "\\t", text); gsub(/\n/, "\\n", text)
            gsub(/[\001-\037]/, " ", text)
            return "\"" text "\""
        }
        BEGIN { RS = ""; FS = "\n" }
        {
            split("", field); name = ""
            for (n = 1; n <= NF; n++) {
                if ($n ~ /^ /) { field[name] = field[name] "\n" $n; continue }
                name = substr($n, 1, index($n, ":") - 1); field[name] = substr($n, index($n, ":") + 2)
            }
            if (field["Status"] !~ / installed$/) next
            if (key == "")
                print "{\"type\":\"item\",\"key\":" json(field["Package"] ":" field["Architecture"]) ",\"version\":" \
                    json(field["Version"]) "}"
            else if (key == field["Package"] ":" field["Architecture"]) {
                found = 1
                print "{\"type\":\"content\",\"title\":" json(field["Package"] " " field["Version"]) ",\"text\":" \
                    json(field["Description"]) ",\"attributes\":{\"Section\":" json(field["Section"]) "}}"
                exit
            }
        }
        END { if (key != "" && !found) print "{\"type\":\"gone\"}" }
    ' "$status"
}

while IFS= read -r line; do
    case $(field type) in
    hello)
        printf '%s%s\n' '{"type":"hello","protocol":1,"name":"packages","version":"1.0","parameters":[{"name":"status",' \
            '"description":"The file in which dpkg keeps what is installed.","default":"/var/lib/dpkg/status"}]}'
        ;;
    settings)
        status=$(field status)
        echo '{"type":"ready"}'
        ;;
    discover)
        if [ -r "$status" ]; then
            packages ""
            echo '{"type":"done"}'
        else
            echo '{"type":"error","code":"unreachable","reason":"the status file of dpkg cannot be read"}'
        fi
        ;;
    fetch)
        packages "$(field key)"
        ;;
    esac
done
